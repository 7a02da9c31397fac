from __future__ import annotations

import json
import urllib.error
import urllib.request
from datetime import datetime, timezone
from typing import Any, List, Literal, NotRequired, Optional, TypedDict, cast
from uuid import uuid4

