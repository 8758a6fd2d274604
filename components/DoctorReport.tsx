import type { DoctorCheck, DoctorReport as Report } from "@/lib/schemas/doctor.ts";
import { CodeBlock } from "./CodeBlock.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

const NAMES: Record<DoctorCheck, string> = {
  origin: msg("Origin"),
  tag: msg("Script tag"),
  mixed_content: msg("Mixed content"),
  csp: msg("Content-Security-Policy"),
  integrity: msg("Integrity"),
  token: msg("Session token"),
  clock: msg("Clock"),
};

/** Badge color and text of each verdict. */
const BADGES = {
  fail: ["revoked", msg("Failed")],
  unknown: ["expired", msg("Not checked")],
  pass: ["active", msg("Passed")],
} as const;
const ORDER = Object.keys(BADGES);

/** The findings of the embed doctor, failures first, and the lines that fix them. */
export function DoctorReport({ findings, lines }: Report) {
  const ordered = findings.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  return (
    <section class="stack" aria-labelledby="report-title">
      <h2 id="report-title">{headline(findings)}</h2>
      <ul class="rows">
        {ordered.map(({ check, verdict, message }) => (
          <li class="row" key={check}>
            <div class="row-main">
              <p class="row-name">
                {NAMES[check]}
                <span class={`badge badge-${BADGES[verdict][0]}`}>{t(BADGES[verdict][1])}</span>
              </p>
              <p class="help">{message}</p>
            </div>
          </li>
        ))}
      </ul>
      <CodeBlock label={t("Script tag")} code={lines.tag} />
      <CodeBlock label={t("Content-Security-Policy: add")} code={lines.csp} />
      <CodeBlock label={t("Mint a token")} code={lines.mint} />
    </section>
  );
}

function headline(findings: Report["findings"]): string {
  const failed = findings.filter(({ verdict }) => verdict === "fail").length;
  if (failed > 0) {
    return failed === 1 ? t("1 check failed") : t("{failed} checks failed", { failed });
  }
  const open = findings.some(({ verdict }) => verdict === "unknown");
  return open ? t("No problems found, some checks were skipped") : t("All checks passed");
}
