/**
 * One-time links as people open them. From the service's own address, never the request's `Host`: a
 * forged one would send the token to another site.
 */
export function joinLink(baseUrl: string, token: string): string {
  return `${baseUrl}/join?token=${token}`;
}

export function resetLink(baseUrl: string, token: string): string {
  return `${baseUrl}/reset-password?token=${token}`;
}
