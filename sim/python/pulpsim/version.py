"""Version of this module: that of the library it goes with (VERSION in the Makefile)."""

VERSION = "0.1.0"
