const webSource = {
  id: "3f0c9d7a-5b21-4e8d-b6a4-91c2e7f05d38",
  url: "https://shop.example/help/",
  kind: "site",
  maxPages: 50,
  schedule: "weekly",
  state: "idle",
  lastCrawl: {
    startedAt: "2026-01-15T09:20:00.000Z",
    endedAt: "2026-01-15T09:20:41.000Z",
    counts: { added: 38, changed: 0, unchanged: 0, removed: 0, skipped: 4, failed: 0 },
    leftOut: false,
  },
  nextCrawlAt: "2026-01-22T09:20:41.000Z",
  createdAt: "2026-01-15T09:20:00.000Z",
} as const;

export const WEB_SOURCE_EXAMPLES = {
  webSource,
  webSourceReport: {
    ...webSource,
    pages: [{
      url: "https://shop.example/help/returns",
      state: "stored",
      documentId: "0c6f7e52-1d84-4b39-a5f0-7e9b2c3d4a61",
      title: "Returns",
      checkedAt: "2026-01-15T09:20:12.000Z",
    }, {
      url: "https://shop.example/help/internal",
      state: "skipped",
      reason: "robots",
      checkedAt: "2026-01-15T09:20:14.000Z",
    }],
  },
} as const;
