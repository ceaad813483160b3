if x:
  z()
