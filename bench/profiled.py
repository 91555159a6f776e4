"""The service under cProfile: `python -m bench.profiled FILE`, as `croupier serve`."""

import cProfile
import sys

from croupier_service.bootstrap import main

if __name__ == "__main__":
    profile = cProfile.Profile()
    code = profile.runcall(main)
    profile.dump_stats(sys.argv[1])
    sys.exit(code)
