/** A key made for this document. */
const sealKey = {
  kty: "OKP",
  crv: "Ed25519",
  x: "5AMJmM_VrRcjwWn5VqoLnrhhm1mSvWEsKvQo68efjfA",
  kid: "cC96rVim1OHvqE8p5LiXLb38oZ7hFcDM7mm2tJQjiPE",
} as const;

export const SEAL_EXAMPLES = {
  sealKeys: { keys: [sealKey] },
  runSeal: {
    statement: {
      v: 1,
      runId: "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043",
      conversationId: "d20e6b83-97f4-4c1a-b5d8-0a3e7f6c9214",
      number: 0,
      agentId: "6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",
      agentVersion: 1,
      agentDigest: "9BeZQ4iB4DQae-eKhIwu4nhn-bTvYrOBTUsmmiacTmw",
      provider: "vendor_a",
      model: "demo",
      startedAt: "2026-01-15T09:31:00.000Z",
      endedAt: "2026-01-15T09:31:04.000Z",
      finishReason: "stop",
      inputTokens: 312,
      outputTokens: 48,
      costUsd: 0.0021,
      question: "m7sBdAbYQQer4bD7a6p6b87pMEpc7e5hrnVzq_e1uAY",
      frames: 9,
      head: "52g4ZhDp43h9eR9x7iPzNJqHPRqlmNFxHWZcAgLO48w",
    },
    nonce: "Aw4ZJC86RVBbZnF8h5KdqA",
    keyId: sealKey.kid,
    signature:
      "YMAyrClz-Ly8guISAn1yLY7bKETtcpRnjVd_tkFcX7DbaQGeGTazliDNnnRX3Q6-ClVMwA4b4CcA8rWsXj3VDg",
  },
} as const;
