import {
  AttributeIds,
  BrowseDirection,
  coerceNodeId,
  DataType,
  NodeClass,
  type NodeId,
  resolveNodeId,
  type ClientSession,
  type ReferenceDescription,
} from 'node-opcua-client';
import type { Described, Found } from './messages.js';
import type { ValueDescription } from './node-types.js';

const rootFolder = 'i=84';
const hierarchical = 'i=33';
const hasProperty = 'i=46';
const hasComponent = 'i=47';
const hasSubtype = 'i=45';
/** Types of which no value has exactly that type: BaseDataType, Number, Integer, UInteger, Enumeration (OPC UA part 5, section 12). */
const abstractTypes: Record<number, string> = {
  ...{ 24: 'Variant', 26: 'Double', 27: 'Int64', 28: 'UInt64', 29: 'Int32', 22: 'ExtensionObject' },
};
/** Basic data types, whose node ids have the number of the built-in type (OPC UA part 6, section 5.1.2). */
const enumeration = 29;

/**
 * Finds a node by its path or its id.
 *
 * @throws Error that lists the names that are there
 */
export async function findNode(session: ClientSession, node: string): Promise<Found> {
  if (!node.startsWith('/')) {
    const parents = await browse(session, node, hasComponent, BrowseDirection.Inverse);
    return { node: coerceNodeId(node).toString(), parent: parents[0]?.nodeId.toString() ?? null };
  }
  let at = rootFolder;
  let parent: string | null = null;
  let path = '';
  for (const segment of node.slice(1).split('/')) {
    const [, index, name = segment] = /^(?:(\d+):)?(.*)$/.exec(segment) ?? [];
    const children = await browse(session, at, hierarchical, BrowseDirection.Forward);
    const fitting = children.filter(
      ({ browseName }) =>
        browseName.name === name && (index === undefined || browseName.namespaceIndex === Number(index)),
    );
    const ids = [...new Set(fitting.map(({ nodeId }) => nodeId.toString()))];
    const [found, ...more] = ids;
    if (found === undefined) {
      const there = children.map(({ browseName }) => browseName.toString()).slice(0, 40);
      throw new Error(`there is no ${segment} in ${path || '/'}: it has ${there.join(', ') || 'nothing'}`);
    }
    if (more.length > 0) {
      const names = fitting.map(({ browseName }) => browseName.toString());
      throw new Error(
        `${segment} in ${path || '/'} is ambiguous: write one of ${names.join(', ')}, or a node id`,
      );
    }
    parent = at;
    at = found;
    path = `${path}/${segment}`;
  }
  return { node: coerceNodeId(at).toString(), parent };
}

/** Reads what a node is. @throws Error when there is no such node */
export async function describeNode(session: ClientSession, node: string): Promise<Described> {
  const nodeClass = await session.read({ nodeId: node, attributeId: AttributeIds.NodeClass });
  if (!nodeClass.statusCode.isGoodish()) {
    throw new Error(`there is no node ${node}: the server says ${nodeClass.statusCode.name}`);
  }
  const kind = nodeClass.value.value as NodeClass;
  if (kind === NodeClass.Variable) return { class: 'Variable', value: await describeVariable(session, node) };
  if (kind === NodeClass.Method) {
    const { inputArguments, outputArguments } = await session.getArgumentDefinition(coerceNodeId(node));
    const each = (list: typeof inputArguments) =>
      Promise.all(
        list.map(({ name, description, dataType, valueRank }, index) =>
          describeType(session, dataType, {
            name:
              name === null || name === '' ? `argument_${index + 1}` : name.replace(/[^A-Za-z0-9_]/g, '_'),
            desc: description.text ?? '',
            isArray: valueRank >= 0,
            unit: 'n/a',
          }),
        ),
      );
    return { class: 'Method', inputs: await each(inputArguments), outputs: await each(outputArguments) };
  }
  return { class: NodeClass[kind] };
}

async function describeVariable(session: ClientSession, node: string): Promise<ValueDescription> {
  const attributes = [
    AttributeIds.BrowseName,
    AttributeIds.Description,
    AttributeIds.DataType,
    AttributeIds.ValueRank,
  ];
  const [name, description, dataType, valueRank] = await session.read(
    attributes.map((attributeId) => ({ nodeId: node, attributeId })),
  );
  const named = name?.value.value as { name?: string } | null | undefined;
  const text = description?.value?.value as { text?: string | null } | null | undefined;
  return describeType(session, dataType?.value.value as NodeId, {
    name: named?.name ?? node,
    desc: text?.text ?? '',
    isArray: Number(valueRank?.value?.value ?? -1) >= 0,
    unit: (await unitOf(session, node)) ?? 'n/a',
  });
}

async function describeType(
  session: ClientSession,
  dataType: NodeId,
  rest: Pick<ValueDescription, 'name' | 'desc' | 'isArray' | 'unit'>,
): Promise<ValueDescription> {
  const choices = await choicesOf(session, dataType);
  const type = Object.keys(choices).length > 0 ? 'Int32' : await builtInOf(session, dataType);
  return { ...rest, type, data_type: dataType.toString(), choices };
}

/** The built-in type of a data type: that of the nearest type above it which has one. */
async function builtInOf(session: ClientSession, dataType: NodeId): Promise<string> {
  let at = dataType;
  for (let depth = 0; depth < 20; depth += 1) {
    const number = at.namespace === 0 ? Number(at.value) : Number.NaN;
    if (number in abstractTypes) return abstractTypes[number] ?? 'Variant';
    if (number > 0 && number <= DataType.DiagnosticInfo) return DataType[number] ?? 'Variant';
    const above = await browse(session, at.toString(), hasSubtype, BrowseDirection.Inverse);
    if (above[0] === undefined) return 'Variant';
    at = coerceNodeId(above[0].nodeId.toString());
  }
  return 'Variant';
}

/** The text of the property EngineeringUnits (OPC UA part 8, section 5.6.3); null: there is none. */
async function unitOf(session: ClientSession, node: string): Promise<string | null> {
  const property = (await browse(session, node, hasProperty, BrowseDirection.Forward)).find(
    ({ browseName }) => browseName.name === 'EngineeringUnits',
  );
  if (property === undefined) return null;
  const { value } = await session.read({ nodeId: property.nodeId, attributeId: AttributeIds.Value });
  const units = value.value as { displayName?: { text?: string | null } } | null;
  return units?.displayName?.text ?? null;
}

/** The numbers of an enumeration by name; empty: the type is none. */
async function choicesOf(session: ClientSession, dataType: NodeId): Promise<Record<string, number>> {
  // Types of the standard that are no enumerations: numbers, texts and so on.
  if (dataType.namespace === 0 && Number(dataType.value) < enumeration) return {};
  const property = (await browse(session, dataType.toString(), hasProperty, BrowseDirection.Forward)).find(
    ({ browseName }) => browseName.name === 'EnumStrings' || browseName.name === 'EnumValues',
  );
  if (property === undefined) return {};
  const { value } = await session.read({ nodeId: property.nodeId, attributeId: AttributeIds.Value });
  const entries = value.value as
    { text?: string | null; value?: unknown; displayName?: { text?: string | null } }[] | null;
  return Object.fromEntries(
    (entries ?? []).flatMap((entry, index): [string, number][] => {
      if (property.browseName.name === 'EnumStrings') {
        return typeof entry.text === 'string' ? [[entry.text, index]] : [];
      }
      const number = Array.isArray(entry.value) ? Number(entry.value[1]) | 0 : Number(entry.value);
      const name = entry.displayName?.text;
      return typeof name === 'string' ? [[name, number]] : [];
    }),
  );
}

async function browse(
  session: ClientSession,
  node: string,
  reference: string,
  direction: BrowseDirection,
): Promise<ReferenceDescription[]> {
  const result = await session.browse({
    nodeId: resolveNodeId(node),
    referenceTypeId: resolveNodeId(reference),
    browseDirection: direction,
    includeSubtypes: true,
    nodeClassMask: 0,
    resultMask: 63,
  });
  if (!result.statusCode.isGoodish()) {
    throw new Error(`there is no node ${node}: the server says ${result.statusCode.name}`);
  }
  const found = [...(result.references ?? [])];
  let { continuationPoint } = result;
  while (continuationPoint?.length > 0) {
    const next = await session.browseNext(continuationPoint, false);
    found.push(...(next.references ?? []));
    ({ continuationPoint } = next);
  }
  return found;
}
