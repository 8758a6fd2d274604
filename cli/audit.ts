/**
 * `deno task audit verify`: checks the audit logs of the store, whether or not the service is running, or a
 * downloaded log.
 */
import { AuditFileError, verifyAuditFile } from "../lib/services/audit/verify_audit_file.ts";
import type { AuditIssue, AuditReport } from "../lib/services/audit/audit_report.ts";
import type { Commands } from "../lib/server/commands/commands.ts";
import { pathFromCaller } from "./arguments.ts";
import { AUDIT_HELP, type AuditVerifyArgs, parseAuditArgs } from "./audit_args.ts";
import { runCommandLine } from "./run_command_line.ts";

/** A broken log. Its report is printed already. */
class BrokenLogError extends Error {
  override name = "BrokenLogError";
}

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(words: string[]): Promise<number> {
  // Nothing is decrypted: an auditor needs no secret of the service.
  const [allowMissingKeys, allowMissingSecrets] = [() => true, () => true];
  const own = { name: "audit", help: AUDIT_HELP, parse: parseAuditArgs, run: verifyStore };
  const line = { ...own, allowMissingKeys, allowMissingSecrets };
  const file = fileOf(words);
  return file === undefined ? await runCommandLine(words, line) : await verifyFile(file);
}

/** The arguments if they name a file; others are parsed again by the command line. */
function fileOf(words: string[]): AuditVerifyArgs & { file: string } | undefined {
  try {
    const args = parseAuditArgs(words);
    return "file" in args && args.file !== undefined ? { ...args, file: args.file } : undefined;
  } catch {
    return undefined;
  }
}

async function verifyFile({ file, keys }: AuditVerifyArgs & { file: string }): Promise<number> {
  try {
    const report = verifyAuditFile(await Deno.readTextFile(pathFromCaller(file)), {
      trusted: keys,
    });
    return printReport(report, file) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof AuditFileError || error instanceof Deno.errors.NotFound)) throw error;
    console.error(`audit: ${file}: ${error.message}`);
    return 1;
  }
}

async function verifyStore({ log, keys }: AuditVerifyArgs, commands: Commands): Promise<void> {
  const { logs } = await commands["audit.logs"]({});
  const wanted = log === undefined ? logs : logs.filter(({ id }) => id === log);
  if (wanted.length === 0) throw new Error(`there is no tenant ${log}`);
  let broken = 0;
  for (const { id, name } of wanted) {
    const input = { log: id, ...keys && { keys } };
    try {
      const { report } = await commands["audit.verify"](input);
      if (!printReport(report, name)) broken++;
    } catch (error) {
      // One log that cannot be read does not hide the others.
      print(`${name} (${id})`);
      print(`  BROKEN: it cannot be read: ${error instanceof Error ? error.message : error}`);
      broken++;
    }
  }
  if (broken > 0) throw new BrokenLogError(`${broken} of ${wanted.length} logs are broken`);
}

/** Returns whether the log is proven. */
function printReport(report: AuditReport, name: string): boolean {
  const { log, entries, expired, late, waiting, first, last, signedHeads, keyIds } = report;
  const counts = [
    `${entries} entries`,
    ...expired > 0 ? [`${expired} expired`] : [],
    ...late > 0 ? [`${late} chained later, from an earlier release or by hand`] : [],
    ...waiting > 0 ? [`${waiting} not chained yet`] : [],
  ];
  print(`${name} (${log}): ${counts.join(", ")}`);
  if (first && last) {
    print(`  links ${first.sequence} (${first.at}) to ${last.sequence} (${last.at})`);
    print(`  head ${last.chain}`);
  }
  print(`  signed heads: ${signedHeads}${keyIds.length > 0 ? ` by ${keyIds.join(", ")}` : ""}`);
  printCheck(report.firstBackdated, report.backdated);
  printCheck(report.firstUnsigned, report.unsigned);
  const [worst, ...others] = report.issues;
  if (worst === undefined) {
    print(first === undefined ? "  nothing is chained yet" : "  PROVEN");
    return true;
  }
  print(`  BROKEN: ${describeIssue(worst)}`);
  for (const issue of others) print(`  also: ${describeIssue(issue)}`);
  const more = report.issueCount - report.issues.length;
  if (more > 0) print(`  and ${more} more`);
  return false;
}

function printCheck(issue: AuditIssue | undefined, count: number): void {
  if (issue === undefined) return;
  print(`  CHECK: ${describeIssue(issue)}${count === 1 ? "" : ` (the first of ${count})`}`);
}

function describeIssue({ sequence, at, kind, action, actor, target, reason }: AuditIssue): string {
  const place = sequence === undefined ? "an entry" : `entry ${sequence}`;
  const time = at === undefined ? "" : ` of ${at}`;
  const what = kind === undefined
    ? ""
    : ` (${kind}: ${action}, by ${actor}${target === undefined ? "" : `, ${target}`})`;
  return `${place}${time}${what}: ${reason}`;
}

/** Names and what a file says must not look like other lines of the report, or hide one. */
function print(line: string): void {
  console.log(line.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " "));
}
