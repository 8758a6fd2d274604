/** A path of this site with more in its query. */
export function withQuery(path: string, more: Readonly<Record<string, string>>): string {
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(more)}`;
}
