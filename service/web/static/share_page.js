// The page with everything to share of a position.

import { offerCopies } from "./share.js";

offerCopies(document);
