"""Language models on this machine, by transformers; torch is imported on use.

``models``: load a model or an encoder, and check its weights; ``model_identity``: what tells one model from another.
``prefix``: texts to tokens, with prompts and chat templates. ``likelihoods``: log-likelihoods under a budget of tokens;
``scorer``: perplexities of targets given contexts, and likelihoods of sequence-to-sequence models. ``text_writing``:
text generation. ``training_loop``: what all trainings share.
"""
