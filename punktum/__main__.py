"""``python -m punktum`` is the command ``punktum``."""

from __future__ import annotations

import sys

from punktum.cli import main

sys.exit(main())
