"""What cats say."""


def greet(name):
    return "meow " + name


def purr(times):
    return "purr " * times
