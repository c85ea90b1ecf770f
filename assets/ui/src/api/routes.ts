/** What a call may send to a route and what the route answers, read from the API's description. */
import type { paths } from './schema';

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The routes that have this verb, without the prefix all of them share. */
export type Route<V extends Verb> = {
  [P in keyof paths]: paths[P] extends Record<V, object>
    ? P extends `/api/v1${infer R}`
      ? R
      : never
    : never;
}[keyof paths];

type Operation<V extends Verb, R> = R extends string
  ? `/api/v1${R}` extends infer P extends keyof paths
    ? NonNullable<paths[P][V]>
    : never
  : never;

type Json<Content> = Content extends { 'application/json': infer Body } ? Body : never;
type Form<Content> = Content extends { 'multipart/form-data': unknown } ? FormData : never;
type Sent<Content> = Json<Content> | Form<Content>;

type Body<Op> = Op extends { requestBody: { content: infer Content } }
  ? { body: Sent<Content> }
  : Op extends { requestBody?: { content: infer Content } }
    ? { body?: Sent<Content> }
    : { body?: never };

type Parameters<Op> = Op extends { parameters: infer All extends { path?: unknown; query?: unknown } }
  ? Pick<All, 'path' | 'query'>
  : never;

/** What a call of the route must or may give: the parameters in its path, its query and its body. */
export type Input<V extends Verb, R> = Parameters<Operation<V, R>> & Body<Operation<V, R>>;

type Good = 200 | 201 | 202;

type Success<Responses> = {
  [Status in keyof Responses & Good]: Responses[Status] extends { content: infer Content }
    ? Json<Content>
    : never;
}[keyof Responses & Good];

/** A list comes in pages only to a call that asks for one, and no call of this page does. */
type Unpaged<Answer> = [Extract<Answer, readonly unknown[]>] extends [never]
  ? Answer
  : Extract<Answer, readonly unknown[]>;

/** What the route answers when it did what was asked. */
export type Answer<V extends Verb, R> =
  Operation<V, R> extends { responses: infer Responses } ? Unpaged<Success<Responses>> : never;
