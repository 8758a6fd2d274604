/**
 * Mints session tokens for the visitors of a site. The API key stays here; the browser gets the token,
 * or the service's error with its status. Every example has this file.
 */

/** For one visitor. The widget needs a token every 14 minutes, and each page that is opened needs one. */
const TOKENS_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_VISITORS = 100_000;

/** The current minute of each visitor. @type {Map<string, { ends: number, count: number }>} */
const minutes = new Map();

/**
 * Sends the browser's `Origin` on unchanged, because the service decides which sites may embed the
 * agent. Never build it from `Host`, which the caller chooses.
 *
 * @param {{ origin?: string | null, address?: string, forwardedFor?: string | null }} request
 *   the header `Origin`, the address of the connection, and the header `X-Forwarded-For`
 * @returns {Promise<{ status: number, headers: Record<string, string>, body: string }>} the response
 */
export async function chatSession({ origin, address, forwardedFor }) {
  const wait = secondsToWait(visitorAddress(address, forwardedFor));
  if (wait > 0) return tooManyRequests(wait);
  const { CHAT_URL, CHAT_AGENT_ID, CHAT_API_KEY, SITE_ORIGIN } = process.env;
  try {
    const minted = await fetch(`${CHAT_URL}/v1/widget/session`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${CHAT_API_KEY}`,
        "content-type": "application/json",
        origin: origin || SITE_ORIGIN,
      },
      body: JSON.stringify({ agentId: CHAT_AGENT_ID }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await minted.text();
    if (!minted.ok) console.error(`chat-session: the service answered ${minted.status} ${body}`);
    return answer(minted.status, body, minted.headers.get("retry-after"));
  } catch (error) {
    console.error("chat-session: cannot reach the service", error);
    return answer(502, "{}");
  }
}

function answer(status, body, retryAfter) {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return {
    status,
    body,
    headers: retryAfter ? { ...headers, "retry-after": retryAfter } : headers,
  };
}

/** An error as the service writes it, so that the widget understands it. */
function tooManyRequests(wait) {
  const message = "Too many requests from this address.";
  const body = JSON.stringify({ code: "rate_limit_exceeded", message, http: 429 });
  return answer(429, body, String(wait));
}

/**
 * `TRUSTED_PROXY_HOPS` says how many proxies in front of this program append to `X-Forwarded-For`.
 * Entries to the left of theirs come from the caller, who may write anything.
 */
function visitorAddress(address, forwardedFor) {
  const hops = Number(process.env.TRUSTED_PROXY_HOPS ?? (address ? 0 : 1));
  const entries = forwardedFor?.split(",").map((entry) => entry.trim()) ?? [];
  return (hops > 0 && entries.at(-hops)) || address || "";
}

/** Counts a request; 0 if it is within the visitor's limit. */
function secondsToWait(visitor) {
  const now = Date.now();
  if (minutes.size > MAX_VISITORS) {
    for (const [key, { ends }] of minutes) if (ends <= now) minutes.delete(key);
  }
  const known = minutes.get(visitor);
  const minute = known && known.ends > now ? known : { ends: now + MINUTE_MS, count: 0 };
  minutes.set(visitor, minute);
  minute.count++;
  return minute.count > TOKENS_PER_MINUTE ? Math.ceil((minute.ends - now) / 1000) : 0;
}
