fn b() -> u8 { 1 }
