mod n;
