from fastapi import FastAPI, Request, Response

from chat_session import chat_session

app = FastAPI(openapi_url=None)


# Not asynchronous: FastAPI runs it in a thread, because it waits for the service.
@app.post("/chat-session")
def mint(request: Request) -> Response:
    status, headers, body = chat_session(
        origin=request.headers.get("origin"),
        address=request.client.host if request.client else None,
        forwarded_for=request.headers.get("x-forwarded-for"),
    )
    return Response(body, status_code=status, headers=dict(headers))
