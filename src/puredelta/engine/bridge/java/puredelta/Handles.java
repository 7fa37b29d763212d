package puredelta;

import org.apache.spark.sql.catalyst.trees.TreeNode;
import py4j.Gateway;
import py4j.Protocol;
import py4j.reflection.ReflectionEngine;
import scala.collection.Iterator;

/**
 * Many objects in one call: py4j by itself hands over, takes and releases one a call.
 *
 * Objects are written as py4j writes them, a line each.
 */
public final class Handles {
  private final Gateway gateway;

  public Handles(Gateway gateway) { this.gateway = gateway; }

  /** Hands over the items of a Scala collection. */
  public String items(scala.collection.IterableOnce collection) {
    StringBuilder lines = new StringBuilder();
    for (Iterator rest = collection.iterator(); rest.hasNext();) write(rest.next(), lines);
    return lines.toString();
  }

  /** Hands over a node of a tree, its first child, the first child of that and so on, each with the name of its class. */
  public String chain(TreeNode node) {
    StringBuilder lines = new StringBuilder();
    for (Object next = node; next != null;) {
      lines.append(kindOf(next)).append(' ');
      write(next, lines);
      scala.collection.Seq children = (scala.collection.Seq) ((TreeNode) next).children();
      next = children.isEmpty() ? null : children.head();
    }
    return lines.toString();
  }

  /** Hands over what methods, each called on the answer of the one before, return for each item of a collection. */
  public String each(scala.collection.IterableOnce collection, String methods) {
    ReflectionEngine engine = gateway.getReflectionEngine();
    Object[] none = {};
    StringBuilder lines = new StringBuilder();
    for (Iterator rest = collection.iterator(); rest.hasNext();) {
      Object answer = rest.next();
      for (String method : methods.split("\\.")) answer = engine.invoke(answer, engine.getMethod(answer, method, none), none);
      write(answer, lines);
    }
    return lines.toString();
  }

  /** Makes an immutable sequence of what Python has handles of. */
  public Object sequence(String lines) {
    java.util.List items = new java.util.ArrayList();
    for (String line : lines.split("\n")) {
      if (!line.isEmpty()) items.add(Protocol.getObject(line, gateway));
    }
    return scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq();
  }

  /** Releases objects that Python has no handles of any more. */
  public void release(String ids) {
    for (String id : ids.split("\n")) gateway.deleteObject(id);
  }

  private void write(Object item, StringBuilder lines) {
    lines.append(gateway.getReturnObject(item).getCommandPart()).append('\n');
  }

  /** The name of an object's class, without its package. */
  public static String kindOf(Object object) { return object.getClass().getSimpleName(); }
}
