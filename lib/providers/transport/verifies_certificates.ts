/** Results by host; a process cannot change how it was started. */
const known = new Map<string, Promise<boolean>>();

/**
 * Whether Deno verifies the certificates of `host`. False if the process was started with
 * `--unsafely-ignore-certificate-errors`, which nothing else tells: so a server on loopback shows a
 * certificate that expired long ago and names another host.
 */
export function verifiesCertificates(host: string): Promise<boolean> {
  const earlier = known.get(host);
  if (earlier !== undefined) return earlier;
  const result = probe(host);
  known.set(host, result);
  // Without a result, the next connection tries again.
  result.catch(() => known.delete(host));
  return result;
}

async function probe(host: string): Promise<boolean> {
  using listener = listen();
  // A platform that cannot listen sets Deno's flags itself.
  if (listener === undefined) return true;
  const { port } = listener.addr as Deno.NetAddr;
  const accepted = shakeHands(() => listener.accept());
  const connected = shakeHands(async () => {
    const tcp = await Deno.connect({ hostname: "127.0.0.1", port });
    return await Deno.startTls(tcp, { hostname: host });
  });
  const [, isAccepted] = await Promise.all([accepted, connected]);
  return !isAccepted;
}

function listen(): Deno.TlsListener | undefined {
  try {
    return Deno.listenTls({
      hostname: "127.0.0.1",
      port: 0,
      cert: EXPIRED_CERTIFICATE,
      key: EXPIRED_KEY,
    });
  } catch (error) {
    if (error instanceof Deno.errors.NotSupported) return undefined;
    throw error;
  }
}

/** Whether the handshake of a new connection succeeds. */
async function shakeHands(open: () => Promise<Deno.TlsConn>): Promise<boolean> {
  try {
    using conn = await open();
    await conn.handshake();
    return true;
  } catch {
    return false;
  }
}

/** Self-signed, valid for one day of 2020. Its key protects nothing. */
const EXPIRED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBYDCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAaMRgwFgYDVQQDDA9leHBpcmVk
LmludmFsaWQwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAaMRgwFgYD
VQQDDA9leHBpcmVkLmludmFsaWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS+
HH0bi6RoMjmt0PYYU/wOBE5K0Q6/ZdivRc4fkaaZo3hNcycnuR/tRBszgne5d5bB
TjQU7qMcktvlkj9TlAqloz0wOzAaBgNVHREEEzARgg9leHBpcmVkLmludmFsaWQw
HQYDVR0OBBYEFMYIQA39f7NB0kEp+ErKZdaRDMqHMAoGCCqGSM49BAMCA0gAMEUC
IQDsRg1C2RcogygP/DmY12q3vjs8TC5+2YdP40FjWx7WVgIgcsRUJ77uXioaU9aY
i/0nMfG0DI6ntJJOfKEfVFZlVPo=
-----END CERTIFICATE-----
`;

const EXPIRED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyZ9Jy0U2ulTOap0v
AlMCmZ8pmUvFSS63inTLcZaTRJyhRANCAAS+HH0bi6RoMjmt0PYYU/wOBE5K0Q6/
ZdivRc4fkaaZo3hNcycnuR/tRBszgne5d5bBTjQU7qMcktvlkj9TlAql
-----END PRIVATE KEY-----
`;
