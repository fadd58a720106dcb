import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ServiceError } from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { NeedsNothing } from '../access/index.js';
import { Unlisted } from '../routes/index.js';
import { OpenApiDocument } from './openapi-document.js';

/** Swagger UI styles its elements inline; everything else comes from this service alone. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const assetTypes: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Laboratory orchestration service: REST interface</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const startScript = `SwaggerUIBundle({
  url: '/docs-json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** The pages of the guide as they are in the source of the service. */
const guideFolder = new URL('../../../../docs/guide/', import.meta.url);

/** The interactive page of the REST interface and the pages of the guide, served from this machine alone. */
@Unlisted()
@NeedsNothing()
@Controller()
export class DocsController {
  constructor(private readonly document: OpenApiDocument) {}

  @Get('docs')
  async page(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy).send(page);
  }

  @Get('docs/:file')
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    if (file === 'start.js') {
      await reply.type('text/javascript; charset=utf-8').send(startScript);
      return;
    }
    const type = Object.hasOwn(assetTypes, file) ? assetTypes[file] : undefined;
    if (type === undefined) throw new ServiceError('not_found', `The page has no part named "${file}".`);
    const content = await readFile(join(swaggerUiFolder(), file));
    await reply.type(type).header('cache-control', 'max-age=3600').send(content);
  }

  @Get('guide/:file')
  async guide(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    const content = /^[\w-]+\.md$/.test(file)
      ? await readFile(new URL(file, guideFolder)).catch(() => undefined)
      : undefined;
    if (content === undefined)
      throw new ServiceError(
        'not_found',
        `The guide of this service has no page "${file}". /guide/README.md lists the pages, unless the service was installed without the guide.`,
      );
    await reply.type('text/plain; charset=utf-8').send(content);
  }

  @Get('docs-json')
  async json(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('application/json; charset=utf-8').send(await this.document.json());
  }
}

/** Where the version of Swagger UI that @nestjs/swagger comes with lies. */
function swaggerUiFolder(): string {
  const swagger = createRequire(import.meta.url).resolve('@nestjs/swagger');
  return dirname(createRequire(swagger).resolve('swagger-ui-dist/package.json'));
}
