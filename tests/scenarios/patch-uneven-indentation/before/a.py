    if x:
        y
