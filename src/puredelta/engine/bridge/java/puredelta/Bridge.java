package puredelta;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.*;
import py4j.Py4JException;

/**
 * The one door to Python: every adapter asks through it, and puredelta.engine.bridge.callbacks answers.
 *
 * An answer is a text or an object of this JVM. A text that starts with FAILED reports an exception that
 * Python keeps until it comes back inside a PythonFailure; one that starts with IN_FILE names the file of a long text.
 */
public final class Bridge {
  public interface Engine { Object call(long thread, String topic, String text, Object first, Object second); }

  private static final String FAILED = "\u0001", IN_FILE = "\u0002";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static volatile Engine engine;
  private static volatile Connections connections;

  public static synchronized void attach(Engine answering, Connections used) {
    connections = used;
    engine = answering;
  }

  /** Returns whether it answers now; it does not where another one does. */
  public static synchronized boolean attachFirst(Engine answering, Connections used) {
    if (engine != null && !Sidecar.hasEnded(engine)) return false;
    attach(answering, used);
    return true;
  }

  static void detach(Engine ended) { if (engine == ended) engine = null; }
  static Engine engine() { return engine; }

  /** The digest of the sources that this class was compiled from. */
  static String sources() { return new java.util.Scanner(Bridge.class.getResourceAsStream("sources.sha256"), "UTF-8").next(); }

  public static Object call(String topic, String text, Object first, Object second) {
    Engine answering = engine;
    if (answering == null || Sidecar.hasEnded(answering)) answering = Sidecar.start();
    Connections used = connections;
    Connections.Loan loan = used.lend();
    Object answer;
    try {
      answer = answering.call(Thread.currentThread().getId(), topic, text, first, second);
    } catch (Py4JException e) {
      throw Sidecar.unanswered(answering, e);
    } finally {
      used.takeBack(loan);
    }
    if (!(answer instanceof String)) return answer;
    String given = (String) answer;
    if (given.startsWith(FAILED)) throw Failures.of(parse(given.substring(FAILED.length())));
    return given.startsWith(IN_FILE) ? taken(Paths.get(given.substring(IN_FILE.length()), new String[0])) : given;
  }

  private static String taken(Path file) {
    try {
      return Files.readString(file);
    } catch (java.io.IOException e) {
      throw new IllegalStateException("an answer of puredelta's Python side is gone: " + file, e);
    } finally { file.toFile().delete(); }
  }

  /** The answer as JSON, or null when Python said None. */
  public static JsonNode ask(String topic, String text, Object first, Object second) {
    String answer = (String) call(topic, text, first, second);
    return answer == null ? null : parse(answer);
  }

  public static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (java.io.IOException e) {
      throw new IllegalStateException("puredelta's Python side sent what is not JSON: " + text, e);
    }
  }

  public static ObjectNode object() { return JSON.createObjectNode(); }
  public static ObjectNode fromMap(java.util.Map entries) { return (ObjectNode) JSON.valueToTree(entries); }

  /** What is set in a session. */
  public static String settings(org.apache.spark.sql.SparkSession session) {
    return fromMap(session.conf().getAll()).toString();
  }

  static ObjectNode fromMap(scala.collection.immutable.Map entries) { return fromMap(scala.jdk.javaapi.CollectionConverters.asJava(entries)); }

  static scala.collection.immutable.Map scalaMap(JsonNode entries) { return scalaMap(toMap(entries)); }

  static scala.collection.immutable.Map scalaMap(java.util.Map entries) {
    return scala.collection.immutable.Map$.MODULE$.from(scala.jdk.javaapi.CollectionConverters.asScala(entries));
  }

  static java.util.Map toMap(JsonNode entries) { return (java.util.Map) JSON.convertValue(entries, java.util.Map.class); }

  /** JsonNode.get(int), whose return type Janino cannot distinguish from its bridge method's. */
  public static JsonNode item(JsonNode array, int index) { return (JsonNode) array.get(index); }

  public static String textOrNull(JsonNode node, String field) { return node.hasNonNull(field) ? node.get(field).asText() : null; }

  public static boolean isTrue(JsonNode node, String field) { return node.has(field) && node.get(field).asBoolean(); }
}
