package dev.quiver.lifecycle.arrow;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

import com.google.flatbuffers.FlatBufferBuilder;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Type;

/** Streams of one column of numbers, made of their bytes. */
public final class ArrowBytes {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private ArrowBytes() {}

    /** A stream of batches of an int64 column. */
    public static byte[] numbers(String column, long[]... batches) {
        ArrowBytes stream = new ArrowBytes().schema(column, 64, false);
        for (long[] batch : batches) {
            stream.batch(batch);
        }
        return stream.end();
    }

    /** A stream without a batch. */
    static ArrowBytes begin(String column, int bits, boolean encoded) {
        return new ArrowBytes().schema(column, bits, encoded);
    }

    /** The numbers of all batches of {@link #numbers}, batch by batch. */
    public static List<long[]> read(byte[] stream) {
        ByteBuffer data = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
        List<long[]> batches = new ArrayList<>();
        int at = 0;
        while (data.getInt(at + 4) != 0) {
            int metadata = data.getInt(at + 4);
            Message message =
                    Message.getRootAsMessage(data.slice(at + 8, metadata).order(ByteOrder.LITTLE_ENDIAN));
            int body = at + 8 + metadata;
            if (message.headerType() == MessageHeader.RecordBatch) {
                long rows = ((RecordBatch) message.header(new RecordBatch())).length();
                batches.add(LongStream.range(0, rows)
                        .map(i -> data.getLong(body + 8 * (int) i))
                        .toArray());
            }
            at = body + (int) message.bodyLength();
        }
        return batches;
    }

    private ArrowBytes schema(String column, int bits, boolean encoded) {
        FlatBufferBuilder to = new FlatBufferBuilder();
        int name = to.createString(column);
        int type = Int.createInt(to, bits, true);
        int children = Field.createChildrenVector(to, new int[0]);
        int dictionary = 0;
        if (encoded) {
            int index = Int.createInt(to, 32, true);
            DictionaryEncoding.startDictionaryEncoding(to);
            DictionaryEncoding.addId(to, 0);
            DictionaryEncoding.addIndexType(to, index);
            dictionary = DictionaryEncoding.endDictionaryEncoding(to);
        }
        Field.startField(to);
        Field.addName(to, name);
        Field.addNullable(to, true);
        Field.addTypeType(to, Type.Int);
        Field.addType(to, type);
        Field.addChildren(to, children);
        if (encoded) {
            Field.addDictionary(to, dictionary);
        }
        int field = Field.endField(to);
        int fields = Schema.createFieldsVector(to, new int[] {field});
        Schema.startSchema(to);
        Schema.addFields(to, fields);
        message(to, MessageHeader.Schema, Schema.endSchema(to), new byte[0]);
        return this;
    }

    /** Adds a batch of these numbers. */
    ArrowBytes batch(long... values) {
        FlatBufferBuilder to = new FlatBufferBuilder();
        message(to, MessageHeader.RecordBatch, records(to, values), bytes(values));
        return this;
    }

    /** Adds a dictionary. */
    ArrowBytes dictionary(long id, boolean delta, long... values) {
        FlatBufferBuilder to = new FlatBufferBuilder();
        int records = records(to, values);
        DictionaryBatch.startDictionaryBatch(to);
        DictionaryBatch.addId(to, id);
        DictionaryBatch.addData(to, records);
        DictionaryBatch.addIsDelta(to, delta);
        message(to, MessageHeader.DictionaryBatch, DictionaryBatch.endDictionaryBatch(to), bytes(values));
        return this;
    }

    byte[] end() {
        out.writeBytes(new byte[] {-1, -1, -1, -1, 0, 0, 0, 0});
        return out.toByteArray();
    }

    private static byte[] bytes(long... values) {
        ByteBuffer body = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(values).forEach(body::putLong);
        return body.array();
    }

    private static int records(FlatBufferBuilder to, long... values) {
        RecordBatch.startNodesVector(to, 1);
        FieldNode.createFieldNode(to, values.length, 0);
        int nodes = to.endVector();
        RecordBatch.startBuffersVector(to, 2);
        Buffer.createBuffer(to, 0, 8L * values.length);
        Buffer.createBuffer(to, 0, 0);
        int buffers = to.endVector();
        RecordBatch.startRecordBatch(to);
        RecordBatch.addLength(to, values.length);
        RecordBatch.addNodes(to, nodes);
        RecordBatch.addBuffers(to, buffers);
        return RecordBatch.endRecordBatch(to);
    }

    private void message(FlatBufferBuilder to, byte kind, int header, byte[] body) {
        to.finish(Message.createMessage(to, MetadataVersion.V5, kind, header, body.length, 0));
        byte[] metadata = to.sizedByteArray();
        int padded = (metadata.length + 7) / 8 * 8;
        ByteBuffer prefix = ByteBuffer.allocate(8 + padded).order(ByteOrder.LITTLE_ENDIAN);
        prefix.putInt(-1).putInt(padded).put(metadata);
        out.writeBytes(prefix.array());
        out.writeBytes(body);
    }
}
