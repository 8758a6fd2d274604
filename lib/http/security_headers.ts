/** Browser features that no page uses, so no script may use them either. */
const UNUSED_FEATURES = [
  "accelerometer",
  "autoplay",
  "browsing-topics",
  "camera",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
];

const ALL_RESPONSES = {
  "x-content-type-options": "nosniff",
  // Not `no-referrer`: with that a browser's form says `Origin: null`, which is refused as foreign.
  "referrer-policy": "same-origin",
};

const PAGE_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": UNUSED_FEATURES.map((name) => `${name}=()`).join(", "),
  "x-frame-options": "DENY",
};

/** A year, as ASVS 5.0 (3.4.1) asks for; subdomains included. */
const HSTS = { "strict-transport-security": "max-age=31536000; includeSubDomains" };

/**
 * The response with the headers that every answer of ours has, files and refusals included; what it
 * says for itself stays. `https` tells whether the service's public address is one of https.
 */
export function withSecurityHeaders(
  response: Response,
  { https }: { https: boolean },
): Response {
  const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  const wanted = {
    ...ALL_RESPONSES,
    ...isPage ? PAGE_HEADERS : {},
    ...https ? HSTS : {},
  };
  const missing = Object.entries(wanted).filter(([name]) => !response.headers.has(name));
  const told = toMutable(response);
  for (const [name, value] of missing) told.headers.set(name, value);
  return told;
}

/** Those of a redirect that the platform made cannot be changed. */
function toMutable(response: Response): Response {
  try {
    response.headers.delete("x-none");
    return response;
  } catch {
    return new Response(response.body, response);
  }
}
