"""Run the server as a process: prints its base URL, then serves until it is killed.

python -m tests.server --port 0 --latency 0.05
"""

from __future__ import annotations

import argparse
import asyncio

from tests.server.app import FaultServer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--length", type=int, default=3, help="entries of lists that the schema leaves open")
    parser.add_argument("--constant", action="store_true", help="the same answer to each schema: fast")
    options = parser.parse_args()
    settings = {"latency": options.latency, "length": options.length, "constant": options.constant}
    server = FaultServer(**settings, keep_bodies=False)
    asyncio.run(server.serve(options.port, lambda port: print(f"http://127.0.0.1:{port}/v1", flush=True)))


if __name__ == "__main__":
    main()
