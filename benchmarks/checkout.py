"""Makes `assay` this checkout, for the scripts beside this file and for the processes that they begin: not what is
installed, which may be older or nothing.
"""

import os
import sys
from pathlib import Path

_FOLDERS = [str(Path(__file__).parent.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
sys.path.insert(0, _FOLDERS[0])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, _FOLDERS))
