/** Throws if the request may not go on; `form` is its body, if that is a form. */
export type BodyCheck = (form?: URLSearchParams) => Promise<void>;

const checks = new WeakMap<Request, BodyCheck>();

/**
 * Registers a check that runs once the body of a request has arrived, so that a slow body cannot outlive the
 * sender's rights.
 */
export function checkAfterBody(req: Request, check: BodyCheck): void {
  checks.set(req, check);
}

/** Called by everything that reads the bodies of dashboard requests. */
export async function bodyArrived(req: Request, form?: URLSearchParams): Promise<void> {
  await checks.get(req)?.(form);
}
