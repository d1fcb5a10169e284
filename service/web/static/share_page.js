// The page with all ways to share a position.

import { offerCopies } from "./share.js";

offerCopies(document);
