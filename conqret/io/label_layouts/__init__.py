"""The layouts that labels come in, one module each: see :mod:`conqret.io.label_layout`."""
