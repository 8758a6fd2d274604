import { formatCount } from "../lib/dashboard/format_amount.ts";

export interface ErrorCountProps {
  count: number;
  /** The conversations of the failed runs. */
  href: string;
}

/** Number of failed runs, linked to them. */
export function ErrorCount({ count, href }: ErrorCountProps) {
  return count === 0 ? <>0</> : <a class="bad" href={href}>{formatCount(count)}</a>;
}
