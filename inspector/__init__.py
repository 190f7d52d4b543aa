"""Context Inspector shows the exact Request that an agent would send to its model, and explains it.

This package owns nothing itself. Its subpackages are the layers, and each of them imports only from those
below it: ``entry`` > ``ui`` | ``cli`` > ``runtime`` > ``enhance`` | ``exchange`` > ``context`` > ``memory`` |
``conversation`` | ``providers`` > ``documents`` | ``storage`` | ``shipped`` > ``domain``.
"""

__version__ = "0.1.0.dev0"
