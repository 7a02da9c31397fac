

class CallError(Exception):
    """An entry that failed, or a message that the server refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Client:
    """The entries of the program; `[serve] actions` of the server allows them."""

    def __init__(
        self, url: str, token: Optional[str] = None, context_id: Optional[str] = None, timeout: float = 600
    ) -> None:
        self._url = url.rstrip("/") + "/v1/messages"
        self._token = token
        self._context_id = context_id or f"ctx_{uuid4()}"
        self._timeout = timeout

    def _call(self, action: str, parameters: Any) -> Any:
        message = {
            "messageId": f"msg_{uuid4()}",
            "contextId": self._context_id,
            "timestamp": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "type": "INSTRUCTION",
            "sender": {"id": "client", "type": "USER"},
            "content": {"instructions": [{"instructionId": "call", "action": action, "parameters": parameters}]},
        }
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = urllib.request.Request(self._url, json.dumps(message).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                body = response.read()
        except urllib.error.HTTPError as refused:
            body = refused.read()
        content = json.loads(body).get("content") or {}
        outcome = (content.get("results") or [{}])[0]
        if outcome.get("status") == "COMPLETED":
            return outcome.get("result")
        error = outcome.get("error") or outcome.get("reason") or content
        code = error.get("code") or error.get("errorCode") or "UNEXPECTED_ANSWER"
        raise CallError(code, error.get("message") or "unexpected answer")
