"""Prints in one line why this interpreter cannot run the virtual environment, and exits with 1; silent if it can."""

# Any Python 3 must be able to read this file.
import importlib.util
import os
import platform
import sys
import sysconfig

MINIMUM = (3, 11)
MAXIMUM = (3, 14)  # the newest that the ROS wheels support
GLIBC_MINIMUM = (2, 35)  # required by the wheel of pyaseba


def problem():
    """Return what is missing, or None."""
    version = sys.version_info[:2]
    name = "python%d.%d" % version
    if not MINIMUM <= version <= MAXIMUM:
        return "%s is Python %d.%d; Python %d.%d to %d.%d is needed" % ((sys.executable,) + version + MINIMUM + MAXIMUM)
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return "there are ROS wheels for Linux on x86_64 only; elsewhere use a ROS installation and colcon (README.md)"
    libc, number = platform.libc_ver()
    if libc != "glibc" or tuple(int(part) for part in number.split(".")[:2]) < GLIBC_MINIMUM:
        return "the C library is %s %s; glibc %d.%d or later is needed" % ((libc, number) + GLIBC_MINIMUM)
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        return "%s has no venv module: apt-get install %s-venv" % (sys.executable, name)
    if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        return "%s has no C headers: apt-get install %s-dev" % (sys.executable, name)
    return None


if __name__ == "__main__":
    found = problem()
    if found:
        print(found)
        sys.exit(1)
