export function createServer(): {
  server: { connect(transport: unknown): Promise<void>; close(): Promise<void> };
  cleanup(sessionId: string): void;
};
