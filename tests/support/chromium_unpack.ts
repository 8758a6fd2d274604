/**
 * Run as a program by `chromium_package.ts`: unpacks the packaged Chromium into TMPDIR. With
 * AWS_LAMBDA_JS_RUNTIME set the package adds the shared libraries of NSS, which it otherwise expects
 * of the system.
 */
import chromium from "@sparticuz/chromium";

await chromium.executablePath();
