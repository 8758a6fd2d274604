import { formatCount } from "../lib/dashboard/format_amount.ts";

export interface ErrorCountProps {
  count: number;
  /** Of the conversations that the failed runs are in. */
  href: string;
}

/** How many runs failed; leads to them where there are any. */
export function ErrorCount({ count, href }: ErrorCountProps) {
  return count === 0 ? <>0</> : <a class="bad" href={href}>{formatCount(count)}</a>;
}
