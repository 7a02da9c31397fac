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
    """Small random numbers, the same on every machine, and one thing that is no accident: the model never ends an answer by itself.

    Channel 0 holds the same number for every token and nothing writes into it, so the special tokens can be made unlikely
    whatever was said before. An answer then ends at its limit, or where a grammar leaves nothing but the end.
    """
    random = np.random.default_rng(SEED)

    def noise(*shape: int) -> np.ndarray:
        return (random.standard_normal(shape) / 16).astype(np.float32)

    def but_channel_0(matrix: np.ndarray) -> np.ndarray:
        matrix[0, :] = 0
        return matrix

    def ones(name: str) -> None:
        out.add_tensor(name, np.ones(WIDTH, dtype=np.float32))

    embedding = noise(vocabulary, WIDTH)
    embedding[:, 0] = 1
    out.add_tensor("token_embd.weight", embedding)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        ones(f"{block}.attn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v"):
            out.add_tensor(f"{block}.{part}.weight", noise(WIDTH, WIDTH))
        out.add_tensor(f"{block}.attn_output.weight", but_channel_0(noise(WIDTH, WIDTH)))
        ones(f"{block}.ffn_norm.weight")
        out.add_tensor(f"{block}.ffn_gate.weight", noise(INNER, WIDTH))
        out.add_tensor(f"{block}.ffn_up.weight", noise(INNER, WIDTH))
        out.add_tensor(f"{block}.ffn_down.weight", but_channel_0(noise(WIDTH, INNER)))
    ones("output_norm.weight")
    output = noise(vocabulary, WIDTH)
    output[: len(SPECIAL), 0] = -50
    out.add_tensor("output.weight", output)


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
