def f():
    return x
