"""Serves a model over OpenAI's protocol with llama.cpp's own server, from a wheel that ships it.

Usage: python llama_server.py MODEL.gguf PORT        (needs: pip install xllamacpp)
"""

import signal
import sys

import xllamacpp


def main(model: str, port: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"tiny"}
    params.n_ctx = 4096
    # One request at a time: a cancelled one has to make room for the next.
    params.n_parallel = 1
    params.use_jinja = True
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    server = xllamacpp.Server(params)
    print("listening on", server.listening_address, flush=True)
    signal.sigwait([signal.SIGTERM])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
