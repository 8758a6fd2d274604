/** What a page may say after a redirect, by the name in `?notice=`: fixed words, never echoed text. */
const NOTICES = {
  agent_created: "Agent created.",
  agent_saved: "Changes saved.",
  agent_restored: "The earlier version is back, as a new version.",
  agent_deleted: "Agent deleted.",
  key_revoked: "Key revoked. Requests with it are refused from now on.",
} as const;
export type NoticeName = keyof typeof NOTICES;

export function noticeText(url: URL): string | undefined {
  const name = url.searchParams.get("notice") ?? "";
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : undefined;
}

/** `path` with the notice to show there. */
export function withNotice(path: string, notice: NoticeName): string {
  return `${path}?notice=${notice}`;
}
