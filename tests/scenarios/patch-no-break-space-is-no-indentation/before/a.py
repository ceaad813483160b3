if x:
  y()
