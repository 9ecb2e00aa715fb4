# Puts the shared library into the package: the one in PULPSIM_LIBRARY, or that of this tree, if
# `make build/libpulpsim.so` has made it. Without either, the package uses the system's.
import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

TREE = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("PULPSIM_LIBRARY") or TREE / "build" / "libpulpsim.so")


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if LIBRARY.is_file():
            shutil.copyfile(LIBRARY, pathlib.Path(self.build_lib) / "pulpsim" / "libpulpsim.so.0")


class PlatformDistribution(Distribution):
    def has_ext_modules(self):  # the wheel is one machine's
        return LIBRARY.is_file()


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=PlatformDistribution)
