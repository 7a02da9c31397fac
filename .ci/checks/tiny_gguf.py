"""Writes a language model of some hundred kilobytes whose weights are random.

A real server runs it like any other model. What it says is noise, but what the server does with it is not: grammars hold it to a
schema, answers stream, tokens are counted, requests end when they are cancelled.

Usage: python tiny_gguf.py OUT.gguf        (needs: pip install gguf numpy)
"""

import sys

import gguf
import numpy as np

LAYERS = 2
WIDTH = 48
HEADS = 4
INNER = 96
WINDOW = 4096
SEED = 20240229

SPECIAL = ["<unk>", "<s>", "</s>"]
UNKNOWN, BEGIN, END = range(3)

# Every byte is a token, so that any text can be read and any answer written.
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]

CHAT = (
    "{% for message in messages %}"
    "<{{ message['role'] }}> {{ message['content'] }}\n"
    "{% endfor %}<assistant> "
)


def settings(out: gguf.GGUFWriter, vocabulary: int) -> None:
    """The shape of the network."""
    out.add_context_length(WINDOW)
    out.add_vocab_size(vocabulary)
    out.add_block_count(LAYERS)
    out.add_embedding_length(WIDTH)
    out.add_feed_forward_length(INNER)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_layer_norm_rms_eps(1e-6)
    out.add_file_type(gguf.LlamaFileType.ALL_F32)


def tokenizer(out: gguf.GGUFWriter) -> None:
    """A vocabulary of bytes."""
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
    kinds += [gguf.TokenType.BYTE] * len(BYTES)
    tokens = [token.encode() for token in SPECIAL + BYTES]
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_types(kinds)
    out.add_token_scores([0.0] * len(tokens))
    out.add_unk_token_id(UNKNOWN)
    out.add_bos_token_id(BEGIN)
    out.add_eos_token_id(END)
    out.add_chat_template(CHAT)


def weights(out: gguf.GGUFWriter, vocabulary: int) -> None:
    """Small random numbers, the same on every machine."""
    random = np.random.default_rng(SEED)

    def noise(name: str, *shape: int) -> None:
        out.add_tensor(name, (random.standard_normal(shape) / 16).astype(np.float32))

    def ones(name: str) -> None:
        out.add_tensor(name, np.ones(WIDTH, dtype=np.float32))

    noise("token_embd.weight", vocabulary, WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        ones(f"{block}.attn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            noise(f"{block}.{part}.weight", WIDTH, WIDTH)
        ones(f"{block}.ffn_norm.weight")
        noise(f"{block}.ffn_gate.weight", INNER, WIDTH)
        noise(f"{block}.ffn_up.weight", INNER, WIDTH)
        noise(f"{block}.ffn_down.weight", WIDTH, INNER)
    ones("output_norm.weight")
    noise("output.weight", vocabulary, WIDTH)


def main(path: str) -> None:
    vocabulary = len(SPECIAL) + len(BYTES)
    out = gguf.GGUFWriter(path, "llama")
    settings(out, vocabulary)
    tokenizer(out)
    weights(out, vocabulary)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
