import { chatSession } from "../../chat-session.js";

/** Next.js answers 405 to every other method. It knows no address but that in `X-Forwarded-For`. */
export async function POST(request) {
  const { status, headers, body } = await chatSession({
    origin: request.headers.get("origin"),
    forwardedFor: request.headers.get("x-forwarded-for"),
  });
  return new Response(body, { status, headers });
}
