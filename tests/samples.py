"""Small repositories written for the tests: the worked examples of the original text."""

from __future__ import annotations

TOKEN_EXPIRY: dict[str, str] = {
    "src/auth.ts": """import { verifyToken } from './tokens';
import { findUser } from './user';

/** Authentication of requests by token. */
export class Authenticator {
  authenticate(header: string) {
    const token = header.replace('Bearer ', '');
    const payload = verifyToken(token);
    if (isTokenExpired(payload.expiry)) {
      throw new Error('authentication token expired');
    }
    return findUser(payload.subject);
  }
}

export function isTokenExpired(expiry: number): boolean {
  return expiry < Date.now();
}
""",
    "src/tokens.ts": """import { decodeJwt } from './jwt-utils';

export const TOKEN_EXPIRY_SECONDS = 3600;

/** Issues an authentication token with its expiry. */
export function issueToken(subject: string) {
  return { subject, expiry: Date.now() / 1000 + TOKEN_EXPIRY_SECONDS };
}

export function verifyToken(token: string) {
  return decodeJwt(token);
}
""",
    "src/session-manager.ts": """import { decodeJwt } from './jwt-utils';

/** Keeps a login alive: refreshes before the lifetime ends. */
export class SessionManager {
  private sessions = new Map<string, number>();

  refreshSession(id: string) {
    const jwt = decodeJwt(id);
    this.sessions.set(id, jwt.exp);
    return this.sessions.get(id);
  }
}
""",
    "src/jwt-utils.ts": """/** Helpers around signed JWT strings. */
export function decodeJwt(raw: string) {
  const [, body] = raw.split('.');
  return JSON.parse(atob(body));
}

export function refreshJwt(raw: string) {
  const claims = decodeJwt(raw);
  return { ...claims, exp: claims.exp + 60 };
}
""",
    "src/user.ts": """export interface User { id: string; email: string; displayName: string; }

const users = new Map<string, User>();

export function findUser(id: string): User | undefined {
  return users.get(id);
}

export function renameUser(id: string, displayName: string) {
  const user = users.get(id);
  if (user) user.displayName = displayName;
}
""",
    "src/billing/invoice.ts": """export function totalOf(lines: { price: number; quantity: number }[]) {
  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
}
""",
    "src/billing/tax.ts": """export const RATES: Record<string, number> = { de: 0.19, fr: 0.2 };

export function withTax(amount: number, country: string) {
  return amount * (1 + (RATES[country] ?? 0));
}
""",
    "src/ui/button.ts": """export function renderButton(label: string, onClick: () => void) {
  const element = document.createElement('button');
  element.textContent = label;
  element.addEventListener('click', onClick);
  return element;
}
""",
    "src/ui/table.ts": """export function renderTable(rows: string[][]) {
  const table = document.createElement('table');
  for (const row of rows) {
    const tr = table.insertRow();
    for (const cell of row) tr.insertCell().textContent = cell;
  }
  return table;
}
""",
    "src/storage/files.ts": """import { promises as fs } from 'fs';

export async function saveFile(path: string, content: string) {
  await fs.writeFile(path, content);
}
""",
    "src/storage/database.ts": """export class Database {
  constructor(private url: string) {}
  query(sql: string) { return [this.url, sql]; }
}
""",
    "src/report/csv.ts": """export function toCsv(rows: string[][]) {
  return rows.map((row) => row.join(',')).join('\\n');
}
""",
    "src/auth.test.ts": """import { isTokenExpired } from './auth';

test('an old token is expired', () => {
  expect(isTokenExpired(0)).toBe(true);
});
""",
}

RATE_LIMITING: dict[str, str] = {
    "src/throttle.ts": """const WINDOW_MS = 60_000;
const MAX_CALLS = 100;

/** Throttles callers: too many calls in a window are refused. */
export class Throttle {
  private calls = new Map<string, number[]>();

  allow(caller: string, now = Date.now()): boolean {
    const recent = (this.calls.get(caller) ?? []).filter((t) => now - t < WINDOW_MS);
    recent.push(now);
    this.calls.set(caller, recent);
    return recent.length <= MAX_CALLS;
  }
}
""",
    "src/middleware/index.ts": """import { Throttle } from '../throttle';

const throttle = new Throttle();

/** Express middleware that turns callers away. */
export function throttleMiddleware(req: any, res: any, next: () => void) {
  if (!throttle.allow(req.ip)) {
    res.status(429).end();
    return;
  }
  next();
}
""",
    "src/router-setup.ts": """import express from 'express';
import { throttleMiddleware } from './middleware';
import { listOrders } from './orders';

export function setUpRouter() {
  const router = express.Router();
  router.use(throttleMiddleware);
  router.get('/orders', listOrders);
  return router;
}
""",
    "src/orders.ts": """const orders = [{ id: 1, product: 'lamp' }];

export function listOrders(_req: any, res: any) {
  res.json(orders);
}
""",
    "src/products.ts": """export const products = [{ sku: 'lamp', price: 20 }, { sku: 'chair', price: 80 }];

export function findProduct(sku: string) {
  return products.find((p) => p.sku === sku);
}
""",
    "src/logger.ts": """export function log(message: string) {
  process.stdout.write(`${new Date().toISOString()} ${message}\\n`);
}
""",
    "src/money.ts": """export function formatMoney(cents: number, currency = 'EUR') {
  return new Intl.NumberFormat('de', { style: 'currency', currency }).format(cents / 100);
}
""",
    "src/mailer.ts": """export async function sendMail(to: string, subject: string, body: string) {
  return { to, subject, body };
}
""",
    "src/clock.ts": """export const clock = { now: () => Date.now() };
""",
    "src/pdf.ts": """export function renderPdf(title: string) {
  return `%PDF-1.7 ${title}`;
}
""",
}
