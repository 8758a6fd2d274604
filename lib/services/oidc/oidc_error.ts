/** Why a sign-in was rejected. The page has a text for each. */
export type OidcProblem =
  /** Began in another browser, was used before, or took too long. */
  | "restart"
  /** The provider could not be reached, or answers what the specification forbids. */
  | "provider"
  /** The user or the provider declined. */
  | "denied"
  /** The answer is not valid for this sign-in. */
  | "invalid"
  /** The person may not have an account here. */
  | "not_allowed"
  | "email_unverified"
  /** Another user has the address. */
  | "email_taken"
  /** The person at the provider is another user. */
  | "linked_elsewhere";

const PROBLEMS: ReadonlySet<string> = new Set<OidcProblem>([
  ...["restart", "provider", "denied", "invalid", "not_allowed"] as const,
  ...["email_unverified", "email_taken", "linked_elsewhere"] as const,
]);

export function isOidcProblem(text: string): text is OidcProblem {
  return PROBLEMS.has(text);
}

export class OidcError extends Error {
  override name = "OidcError";
  readonly problem: OidcProblem;

  constructor(problem: OidcProblem, options: ErrorOptions & { detail?: string } = {}) {
    const { detail, ...rest } = options;
    super(detail === undefined ? problem : `${problem}: ${detail}`, rest);
    this.problem = problem;
  }
}
