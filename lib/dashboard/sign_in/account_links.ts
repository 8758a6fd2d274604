/**
 * One-time links use the service's own address, never the request's `Host`: a forged one would send
 * the token to another site.
 */
export function invitationLink(baseUrl: string, token: string): string {
  return `${baseUrl}/join?token=${token}`;
}

export function passwordResetLink(baseUrl: string, token: string): string {
  return `${baseUrl}/reset-password?token=${token}`;
}
