"""What other sites and programs show of us: cards with a picture, embedded boards, and icons."""
