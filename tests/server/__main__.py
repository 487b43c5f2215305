"""Run the server as a process: prints its base URL, then serves until it is killed.

python -m tests.server --port 0 --latency 0.05 --fault rate_limit=0.1 --fault server_error=0.05
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.server.app import FaultServer
from tests.server.faults import FAULTS, FaultPlan


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME=SHARE", help=", ".join(FAULTS))
    parser.add_argument("--always", choices=FAULTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--retry-after", default="0", help="the header's value, as it is sent")
    parser.add_argument(
        "--length", type=int, default=3, help="entries of lists that the schema does not bound"
    )
    parser.add_argument("--constant", action="store_true", help="the same answer to each schema: fast")
    options = parser.parse_args()
    rates = {name: float(share) for name, share in (fault.split("=") for fault in options.fault)}
    server = FaultServer(
        FaultPlan(rates, seed=options.seed, always=options.always),
        latency=options.latency,
        retry_after={"Retry-After": options.retry_after},
        length=options.length,
        constant=options.constant,
        keep_bodies=False,
    )
    asyncio.run(server.serve(options.port, lambda port: print(f"http://127.0.0.1:{port}/v1", flush=True)))


if __name__ == "__main__":
    main()
