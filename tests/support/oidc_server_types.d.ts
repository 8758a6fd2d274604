import type { IncomingMessage, ServerResponse } from "node:http";

export interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}

interface Context {
  path: string;
  req: IncomingMessage;
  res: ServerResponse;
}

interface Interaction {
  prompt: { name: string };
  params: { client_id: string };
  session?: { accountId: string };
}

export default class Provider {
  constructor(issuer: string, configuration: unknown);
  readonly Grant: new (of: { accountId: string; clientId: string }) => Grant;
  readonly AccessToken: { find(token: string): Promise<{ aud: string | string[] } | undefined> };
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: unknown,
  ): Promise<void>;
}
