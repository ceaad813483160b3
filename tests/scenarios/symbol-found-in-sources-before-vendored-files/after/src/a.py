def wanted():
    pass
