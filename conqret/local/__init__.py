"""Language models on this machine, by transformers; torch is imported on use.

- ``models``: loads a model, a tokenizer or a sentence encoder, checks that no weight is missing, chooses device and
  dtype
- ``model_identity``: a digest of a model's folder, or its commit on the hub; a block on requests to a hub
- ``prefix``: texts to tokens, with prompts and chat templates
- ``likelihoods``: log-likelihoods of tokens, in forward passes under a token budget; the definitions of perplexity
- ``scorer``: perplexities of targets given contexts, and likelihoods of sequence-to-sequence models (BARTScore)
- ``text_writing``: text generation; ``training_loop``: settings, checkpoints and LoRA adapters of all trainings
"""
