const UNUSED_FEATURES = [
  ...["accelerometer", "autoplay", "browsing-topics", "camera", "display-capture"],
  ...["encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope", "hid"],
  ...["idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment"],
  ...["picture-in-picture", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking"],
];

const ALL_RESPONSES = {
  "x-content-type-options": "nosniff",
  // With `no-referrer`, browsers submit forms with `Origin: null`, which the CSRF check rejects.
  "referrer-policy": "same-origin",
};

const PAGE_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": UNUSED_FEATURES.map((name) => `${name}=()`).join(", "),
  "x-frame-options": "DENY",
};

/** One year, as required by ASVS 5.0 (3.4.1). */
const HSTS = { "strict-transport-security": "max-age=31536000; includeSubDomains" };

/** `https`: whether the service's public address uses https. */
export function withSecurityHeaders(response: Response, { https }: { https: boolean }): Response {
  const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  const defaults = { ...ALL_RESPONSES, ...isPage ? PAGE_HEADERS : {}, ...https ? HSTS : {} };
  const missing = Object.entries(defaults).filter(([name]) => !response.headers.has(name));
  const result = toMutable(response);
  for (const [name, value] of missing) result.headers.set(name, value);
  return result;
}

/** Headers of `Response.redirect()` are immutable. */
function toMutable(response: Response): Response {
  try {
    response.headers.delete("x-none");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}
