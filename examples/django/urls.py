from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from chat_session import chat_session


# The browser sends no cookie here, so there is nothing that another site could misuse.
@csrf_exempt
@require_POST
def mint(request: HttpRequest) -> HttpResponse:
    status, headers, body = chat_session(
        origin=request.headers.get("origin"),
        address=request.META.get("REMOTE_ADDR"),
        forwarded_for=request.headers.get("x-forwarded-for"),
    )
    return HttpResponse(body, status=status, headers=headers)


urlpatterns = [path("chat-session", mint)]
